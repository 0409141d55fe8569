'use client'

export type Done = { done: number; of: number }

/** How far a long step is. */
export function Progress({ label, value }: { label: string; value: Done | undefined }) {
  const part = value && value.of > 0 ? value.done / value.of : 0
  return (
    <div className="mt-4">
      <p className="text-13 text-ink-2">{label}</p>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(part * 100)}
        className="mt-2 h-1 w-full overflow-hidden rounded-chip bg-sunken"
      >
        <div className="h-full bg-accent" style={{ width: `${part * 100}%` }} />
      </div>
    </div>
  )
}
