import { useSignalEffect } from '@preact/signals';
import { CommandView } from './commands/command-view.tsx';
import { CommandsView } from './commands/commands-view.tsx';
import { ConnectView } from './connect/connect-view.tsx';
import { DevicesView } from './devices/devices-view.tsx';
import { Header } from './header.tsx';
import { Button } from './parts/button.tsx';
import { Empty } from './parts/empty.tsx';
import { SkeletonCards } from './parts/skeleton.tsx';
import { questions } from './questions/answers.ts';
import { QuestionDock } from './questions/question-dock.tsx';
import { route, type View } from './route.ts';
import { SignInView } from './sign-in/sign-in-view.tsx';
import { SimulatorView } from './simulator/simulator-view.tsx';
import { liveness } from './state/live.ts';
import { enter, entry } from './state/session.ts';

/** The whole page. */
export function App() {
  useSignalEffect(() => {
    document.title = titleOf(route.value.view, questions.value.length);
  });
  const { state } = entry.value;
  if (state === 'signed_out') return <SignInView />;
  return (
    <>
      {/* A link would change the hash, which says what view is shown. */}
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        To the content
      </button>
      <Header />
      <main id="content" tabIndex={-1} class={liveness.value.state === 'stale' ? 'content is-stale' : 'content'}>
        <Content />
      </main>
      {state === 'inside' && <QuestionDock />}
    </>
  );
}

/** What a tab among many says: where it is, and that somebody waits. */
function titleOf(view: View, waiting: number): string {
  const where = {
    devices: 'Devices',
    commands: 'Commands',
    command: 'Command',
    simulator: 'Simulator',
    connect: 'Connect',
  };
  return `${waiting > 0 ? `(${waiting}) ` : ''}${where[view]} · Readback`;
}

function Content() {
  const inside = entry.value;
  if (inside.state === 'entering') return <SkeletonCards />;
  if (inside.state === 'failed') {
    return (
      <>
        <Empty title="The gateway does not answer">{inside.message}</Empty>
        <div class="list-end">
          <Button icon="again" onClick={enter}>
            Try again
          </Button>
        </div>
      </>
    );
  }
  switch (route.value.view) {
    case 'devices':
      return <DevicesView />;
    case 'commands':
      return <CommandsView />;
    case 'command':
      return <CommandView id={route.value.id} day={route.value.filters.get('day') ?? ''} />;
    case 'simulator':
      return <SimulatorView />;
    case 'connect':
      return <ConnectView />;
  }
}
