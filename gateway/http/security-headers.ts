import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** How long a browser remembers to come by TLS alone, in s. */
const HSTS_S = 180 * 24 * 3_600;

const SELF = ["'self'"];
const NONE = ["'none'"];

/**
 * Puts on an answer what browsers have to know: that a page of the gateway takes scripts, styles and data from the
 * gateway alone and nothing that is written into the page, and that it stands in no frame.
 * @param tls the gateway is reached by TLS; without it a browser must not be told to insist on it
 */
export function securityHeaders(tls: boolean): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: SELF,
        connectSrc: SELF,
        imgSrc: [...SELF, 'data:'],
        objectSrc: NONE,
        baseUri: NONE,
        formAction: SELF,
        frameAncestors: NONE,
      },
    },
    strictTransportSecurity: tls && { maxAge: HSTS_S, includeSubDomains: false },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });
}
