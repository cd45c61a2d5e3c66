import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { messageOf } from '../domain/errors.ts';

/** Values stay as they are written: whether `1.0` is a number is for the field to say. */
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
    const valid = XMLValidator.validate(text);
    if (valid !== true) return { ok: false, detail: `no XML: ${valid.err.msg}` };
    return { ok: true, tree: parser.parse(text) as unknown };
  } catch (error) {
    return { ok: false, detail: `no XML: ${messageOf(error)}` };
  }
}
