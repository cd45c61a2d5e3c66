import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  readonly onClick?: () => unknown;
  /** `main`: the one that a view is for; `bad`: it takes something away. */
  readonly look?: 'main' | 'plain' | 'bad';
  readonly icon?: IconName;
  readonly disabled?: boolean;
  readonly type?: 'button' | 'submit';
  readonly children: ComponentChildren;
}

/** A button with words, large enough for a thumb. */
export function Button({ onClick, look = 'plain', icon, disabled = false, type = 'button', children }: ButtonProps) {
  return (
    <button type={type} class={`button look-${look}`} disabled={disabled} onClick={() => void onClick?.()}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

/** A button with a drawing alone; `label` is what it is called. */
export function IconButton(props: {
  readonly label: string;
  readonly icon: IconName;
  readonly onClick: () => unknown;
  readonly disabled?: boolean;
}) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={props.label}
      title={props.label}
      disabled={props.disabled ?? false}
      onClick={() => void props.onClick()}
    >
      <Icon name={props.icon} />
    </button>
  );
}
