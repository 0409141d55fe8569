/** Behind pictures that may be see-through. */
export const CHECKERED =
  'bg-[repeating-conic-gradient(var(--color-sunken)_0_25%,var(--color-line)_0_50%)] bg-size-[16px_16px]'
