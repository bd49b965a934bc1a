export function ProgressBar({ part, label }: { readonly part: number; readonly label: string }) {
  const percent = Math.round(part * 100);
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <div style={{ width: `${percent}%` }} />
    </div>
  );
}
