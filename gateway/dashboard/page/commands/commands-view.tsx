import type { CommandWire } from '../../wire.ts';
import type { CommandsQuery } from '../api.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { route } from '../route.ts';
import { useCommandList } from './command-list.ts';
import { CommandRow } from './command-row.tsx';
import { Filters } from './filters.tsx';

/** Every command that the reader may see, newest first. */
export function CommandsView() {
  const { filters } = route.value;
  const query: CommandsQuery = {
    device: filters.get('device') ?? '',
    verdict: filters.get('verdict') ?? '',
    principal: filters.get('principal') ?? '',
    day: filters.get('day') ?? '',
  };
  const list = useCommandList(query);
  const rows = list.rows.value;
  return (
    <section class="commands" aria-label="Commands">
      <Filters query={query} seen={rows ?? []} />
      {list.problem && <p class="refusal">{list.problem}</p>}
      {rows ? <Rows rows={rows} query={query} /> : !list.problem && <SkeletonRows />}
      {list.hasOlder && (
        <div class="list-end">
          <Button icon="down" disabled={list.isLoading} onClick={list.older}>
            Older commands
          </Button>
        </div>
      )}
    </section>
  );
}

function Rows({ rows, query }: { readonly rows: readonly CommandWire[]; readonly query: CommandsQuery }) {
  if (rows.length === 0) {
    return Object.values(query).some(Boolean) ? (
      <Empty title="Nothing here">No command passes these filters.</Empty>
    ) : (
      <Empty title="No commands yet">Set something on a device, or let an assistant do it, and it is told here.</Empty>
    );
  }
  return (
    <ol class="rows">
      {rows.map((command) => (
        <CommandRow key={command.id} command={command} day={query.day} />
      ))}
    </ol>
  );
}
