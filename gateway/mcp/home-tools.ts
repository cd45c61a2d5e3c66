import { KINDS } from '../domain/device.ts';
import type { Clock } from '../domain/time.ts';
import type { Tool } from './tool.ts';
import { cancelTaskTool } from './tools/cancel-task.ts';
import { getStateTool } from './tools/get-state.ts';
import { getTaskTool } from './tools/get-task.ts';
import { type SetToolOptions, setTool } from './tools/set-device.ts';

/** What the tools of a home need. */
export interface HomeToolsOptions extends SetToolOptions {
  readonly clock: Clock;
}

/** The tools for the devices that are configured: one control tool for each kind among them. */
export function homeTools(options: HomeToolsOptions): readonly Tool[] {
  const { commands, clock, stopping } = options;
  const devices = commands.devices();
  const setters = KINDS.flatMap((kind) => {
    const specs = devices.filter((spec) => spec.kind === kind);
    return specs.length > 0 ? [setTool(kind, specs, options)] : [];
  });
  return [getStateTool(commands, clock), ...setters, getTaskTool(commands, stopping), cancelTaskTool(commands)];
}
