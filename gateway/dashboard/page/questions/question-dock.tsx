import { mayApprove } from '../state/home.ts';
import { questions } from './answers.ts';
import { QuestionCard } from './question-card.tsx';

/** The questions that wait for a person, above everything else. It lies over the page, so that nothing moves when one comes. */
export function QuestionDock() {
  if (!mayApprove.value) return null;
  return (
    <section class="dock" aria-label="Questions" aria-live="polite">
      {questions.value.map(({ command, answer }) => (
        <QuestionCard key={command.id} command={command} answer={answer} />
      ))}
    </section>
  );
}
