import { CommandView } from './commands/command-view.tsx';
import { CommandsView } from './commands/commands-view.tsx';
import { ConnectView } from './connect/connect-view.tsx';
import { DevicesView } from './devices/devices-view.tsx';
import { Header } from './header.tsx';
import { Button } from './parts/button.tsx';
import { Empty } from './parts/empty.tsx';
import { SkeletonCards } from './parts/skeleton.tsx';
import { QuestionDock } from './questions/question-dock.tsx';
import { route } from './route.ts';
import { SignInView } from './sign-in/sign-in-view.tsx';
import { SimulatorView } from './simulator/simulator-view.tsx';
import { liveness } from './state/live.ts';
import { enter, entry } from './state/session.ts';

/** The whole page. */
export function App() {
  const { state } = entry.value;
  if (state === 'signed_out') return <SignInView />;
  return (
    <>
      <a class="skip" href="#content">
        To the content
      </a>
      <Header />
      <main id="content" tabIndex={-1} class={liveness.value.state === 'stale' ? 'content is-stale' : 'content'}>
        <Content />
      </main>
      {state === 'inside' && <QuestionDock />}
    </>
  );
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
