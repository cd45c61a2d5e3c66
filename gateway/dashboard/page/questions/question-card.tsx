import type { CommandWire } from '../../wire.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { commandHref } from '../route.ts';
import { now } from '../state/clock.ts';
import { label, show, span } from '../words.ts';
import { answerQuestion, type GivenAnswer } from './answers.ts';

interface QuestionCardProps {
  readonly command: CommandWire;
  readonly answer: GivenAnswer | null;
}

/** One question: who wants what changed, and how long there is to answer. */
export function QuestionCard({ command, answer }: QuestionCardProps) {
  return (
    <article class="question" aria-label={`Question about ${command.device_name}`}>
      <header class="question-head">
        <Icon name="person" />
        <h2>
          <a href={commandHref(command.id)}>{command.device_name}</a>
        </h2>
        {!answer && <TimeLeft command={command} />}
      </header>
      <dl class="changes">
        {command.fields.map((field) => (
          <div key={field.name}>
            <dt>{label(field.name)}</dt>
            <dd>
              <span class="old">{show(field.before, field)}</span> → <strong>{show(field.sent, field)}</strong>
            </dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{command.principal} asks for it; nothing has been sent.</p>
      <div class="answers">
        {answer && answer.state !== 'lost' ? (
          <Stands answer={answer} />
        ) : (
          <>
            <Button icon="cross" onClick={() => answerQuestion(command, false)}>
              Deny
            </Button>
            <Button icon="check" look="main" onClick={() => answerQuestion(command, true)}>
              Approve
            </Button>
          </>
        )}
      </div>
      {answer?.state === 'lost' && <p class="refusal">{answer.message}</p>}
    </article>
  );
}

function Stands({ answer }: { readonly answer: Exclude<GivenAnswer, { state: 'lost' }> }) {
  if (answer.state === 'refused') return <p class="answer-stands">{answer.message}</p>;
  const words = answer.approved ? 'Approved' : 'Denied';
  return (
    <p class="answer-stands">
      <Icon name={answer.approved ? 'check' : 'cross'} />
      {answer.state === 'sending' ? `${words}, on its way …` : `${words} by you`}
    </p>
  );
}

function TimeLeft({ command: { question } }: { readonly command: CommandWire }) {
  if (!question) return null;
  const askedMs = Date.parse(question.asked_at);
  const untilMs = Date.parse(question.until);
  const leftMs = Math.max(0, untilMs - now.value);
  return (
    <span class="time-left">
      <progress max={Math.max(1, untilMs - askedMs)} value={leftMs} aria-label="time left" />
      <span>{leftMs > 0 ? `${span(Math.ceil(leftMs / 1_000) * 1_000).replace('.0', '')} left` : 'time is up'}</span>
    </span>
  );
}
