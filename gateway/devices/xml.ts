import { createRequire } from 'node:module';
import { messageOf } from '../domain/errors.ts';

type XmlPackage = typeof import('fast-xml-parser');

interface XmlReader {
  readonly validate: XmlPackage['XMLValidator']['validate'];
  readonly parser: InstanceType<XmlPackage['XMLParser']>;
}

let reader: XmlReader | undefined;

/** Loaded with the first XML that comes: most homes never see any. */
function xmlReader(): XmlReader {
  const { XMLParser, XMLValidator } = createRequire(import.meta.url)('fast-xml-parser') as XmlPackage;
  // Values stay as they are written: whether `1.0` is a number is for the field to say.
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    textNodeName: '#text',
    ignoreDeclaration: true,
    ignorePiTags: true,
    parseTagValue: false,
    parseAttributeValue: false,
    htmlEntities: true,
  });
  return { validate: XMLValidator.validate, parser };
}

/**
 * XML as a tree that paths can walk: `status.temp` is the text of an element, `status.temp.@unit` an attribute; an element
 * that has attributes keeps its text under `#text`, and one that occurs several times is a list.
 */
export function parseXml(
  text: string,
): { readonly ok: true; readonly tree: unknown } | { readonly ok: false; readonly detail: string } {
  // No device needs a document type, and its entities could multiply without end.
  if (text.includes('<!DOCTYPE')) return { ok: false, detail: 'no XML that is read here: it has a DOCTYPE' };
  try {
    reader ??= xmlReader();
    const valid = reader.validate(text);
    if (valid !== true) return { ok: false, detail: `no XML: ${valid.err.msg}` };
    return { ok: true, tree: reader.parser.parse(text) as unknown };
  } catch (error) {
    return { ok: false, detail: `no XML: ${messageOf(error)}` };
  }
}
