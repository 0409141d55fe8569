export function HistoryLoading() {
  return (
    <div aria-hidden="true" className="min-h-0 flex-1 overflow-hidden px-2">
      <div className="skeleton mt-1 h-9" />
      <HistorySkeleton />
    </div>
  )
}

export function HistorySkeleton() {
  return (
    <div aria-hidden="true" className="space-y-3 px-2 pt-6">
      {['w-40', 'w-28', 'w-44', 'w-36', 'w-24', 'w-40', 'w-32', 'w-28'].map((width, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change
        <div key={index} className={`skeleton h-4 ${width}`} />
      ))}
    </div>
  )
}

/** Reserves the place of a button that is still loading, so that its neighbours do not move under the pointer. */
export const Reserved = ({ className }: { className: string }) => (
  <span className={`size-9 shrink-0 pointer-coarse:size-11 ${className}`} />
)
