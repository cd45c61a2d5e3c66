import { render } from 'preact';
import { App } from './app.tsx';
import { startClock } from './state/clock.ts';
import { enter } from './state/session.ts';
import { applyTheme } from './state/theme.ts';

applyTheme();
startClock();
const root = document.getElementById('page');
if (root) render(<App />, root);
void enter();
