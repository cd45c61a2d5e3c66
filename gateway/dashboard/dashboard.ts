import { Router } from 'express';
import type { Commands } from '../actuation/commands.ts';
import type { Omission } from '../devices/discovery/left-out.ts';
import type { Clock } from '../domain/time.ts';
import { approvalsApi } from './approvals-api.ts';
import { commandsApi } from './commands-api.ts';
import { devicesApi } from './devices-api.ts';
import { discoveryApi } from './discovery-api.ts';
import { eventsApi } from './events-api.ts';
import { Feed, type FeedOptions } from './feed.ts';
import { homeApi } from './home-api.ts';
import { servedBy } from './serve.ts';
import { simulatorApi } from './simulator-api.ts';
import type { SimulatorPanel } from './simulator-panel.ts';

/** What people's page and tools are served from. */
export interface DashboardOptions extends Pick<FeedOptions, 'beatMs' | 'maxPages'> {
  readonly name: string;
  readonly version: string;
  readonly commands: Commands;
  readonly clock: Clock;
  /** What announced itself and is not taken in. */
  readonly leftOut: () => readonly Omission[];
  /** There where the demo home runs. */
  readonly panel?: SimulatorPanel;
  /** Hears of faults of ours. */
  readonly onError: (error: Error) => void;
}

/** The API of people's page and tools. */
export interface Dashboard {
  /** To be mounted below `/api`, behind whatever says who the reader is; it says itself what each of its parts needs. */
  readonly api: Router;
  /** Pages that are open. */
  pages(): number;
  /** Ends the streams of open pages. */
  close(): void;
}

/** Makes the API, and begins to listen to what changes. */
export function createDashboard(options: DashboardOptions): Dashboard {
  const { onError, panel } = options;
  const parts = { ...options, serve: servedBy(onError) };
  const feed = new Feed(options);
  feed.start();
  const api = Router();
  api.use(
    homeApi({ ...parts, simulator: panel !== undefined }),
    devicesApi(parts),
    discoveryApi(parts),
    commandsApi(parts),
    approvalsApi(parts),
    eventsApi(feed, onError),
  );
  if (panel) api.use(simulatorApi({ ...parts, panel }));
  return { api, pages: () => feed.size, close: () => feed.close() };
}
