/** The place of a button of a bar that is not there yet: those beside it would move from under a pointer that presses them. */
export const Reserved = ({ className }: { className: string }) => (
  <span className={`size-9 shrink-0 pointer-coarse:size-11 ${className}`} />
)
