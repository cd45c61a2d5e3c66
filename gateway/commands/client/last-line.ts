import { messageOf } from '../../domain/errors.ts';

/**
 * Has whatever nobody caught end the process with a word on what is on record: a fault of this program is no reason to wish
 * for the same thing again.
 */
export function tellRecordAtFault(): void {
  process.once('uncaughtException', (error) => {
    console.error(`readback: ${messageOf(error)}`);
    console.error(
      'readback: what was wished is on record: `readback tasks` lists it, and `readback watch` goes on with it',
    );
    process.exit(1);
  });
}
