import { writeFile } from 'node:fs/promises';
import { configJsonSchema } from '../gateway/config/json-schema.ts';
import { shippedPath } from '../gateway/config/shipped.ts';

// After a change of the schemas: npm run build && node dist/scripts/generate-config-schema.js && npm run format
await writeFile(shippedPath('readback.schema.json'), `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
