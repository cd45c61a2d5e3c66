/** Stands in the place of a secret. */
const MASK = '***';

/** Shorter secrets are left alone: blotting out every "1" would make a text unreadable, and hide nothing. */
const SHORTEST_MASKED = 4;

/** What gives a secret away by the words round it, whoever it belongs to; the first group stays. */
const TELLING: readonly RegExp[] = [
  /\b(Bearer |Basic )[A-Za-z0-9._~+/=-]{8,}/g,
  // Credentials in an address; up to the last @ before the path, for a password may hold one.
  /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/"'<>]+(?=@)/gi,
  /([?&](?:[\w-]*(?:token|password|secret|key))=)[^&\s"'<>]+/gi,
  // A header or a member of an object, in JSON and in JSON inside of a text.
  /(\\*"(?:[\w-]*(?:authorization|cookie|password|passwd|passphrase|token|secret|api[-_]?key))\\*"\s*:\s*\\*")(?:\\.|[^"\\])+/gi,
];

/** Whether what is kept under this name is a secret: `password`, `authorization`, `OFFICE_AC_TOKEN`, `x-api-key`. */
export function isSecretName(name: string): boolean {
  return /(^|[-_])(authorization|cookie|password|passwd|passphrase|token|secret|api[-_]?key)$/i.test(name);
}

/**
 * A text in which no secret can be read: neither the given ones, also where they are escaped as in JSON, nor what looks
 * like one by the words round it.
 */
export function masked(text: string, secrets: Iterable<string>): string {
  let safe = text;
  // The longest first: one may be the beginning of another.
  for (const secret of [...secrets].sort((a, b) => b.length - a.length)) {
    if (secret.length < SHORTEST_MASKED) break;
    safe = safe.replaceAll(secret, MASK).replaceAll(JSON.stringify(secret).slice(1, -1), MASK);
  }
  return TELLING.reduce((masking, telling) => masking.replace(telling, `$1${MASK}`), safe);
}
