const CARDS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const ROWS = [...CARDS, 'g', 'h'] as const;

/** Cards in outline, while the devices are on their way. */
export function SkeletonCards() {
  return (
    <div class="area" role="status" aria-label="loading">
      <div class="cards">
        {CARDS.map((each) => (
          <div key={each} class="card skeleton" />
        ))}
      </div>
    </div>
  );
}

/** Rows in outline, while a list is on its way. */
export function SkeletonRows() {
  return (
    <div class="rows" role="status" aria-label="loading">
      {ROWS.map((each) => (
        <div key={each} class="row skeleton" />
      ))}
    </div>
  );
}
