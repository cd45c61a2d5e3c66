#!/usr/bin/env node
import { InputError, messageOf, StartError, UnknownError } from './core/errors.ts';
import { simulatorProgram } from './program.ts';
import type { Simulator } from './start.ts';

/** Ends the simulator with the process: on a signal, or when a parent that started it is gone. */
function endWithProcess(simulator: Simulator): void {
  const end = () => {
    void simulator.close().then(() => process.exit(0));
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  process.once('disconnect', end);
  process.send?.({ url: simulator.url });
}

try {
  await simulatorProgram({ print: (text) => console.log(text), started: endWithProcess }).parseAsync();
} catch (error) {
  const expected = error instanceof InputError || error instanceof UnknownError || error instanceof StartError;
  console.error(expected ? messageOf(error) : error);
  process.exit(1);
}
