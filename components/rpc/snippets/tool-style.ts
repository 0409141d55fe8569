/** The look of what stands in a row of tools. */
export const TOOL =
  'inline-flex min-h-9 shrink-0 items-center gap-1.5 rounded-control px-2 text-13 font-medium text-ink-2 transition-colors hover:bg-hover hover:text-ink disabled:pointer-events-none disabled:opacity-55 aria-expanded:bg-hover pointer-coarse:min-h-11 [&>svg]:size-4 [&>svg]:stroke-[1.5]'
