/** Sixteen pixels on touch, where browsers zoom into smaller text. */
const CONTROL =
  'block min-h-9 w-full min-w-0 rounded-control border border-control bg-surface px-2.5 py-1.75 leading-4.5 ' +
  'placeholder:text-ink-3 aria-invalid:border-danger pointer-coarse:min-h-11 pointer-coarse:py-2.5 pointer-coarse:text-16 pointer-coarse:leading-5.5'

/** The look of what is typed into. */
export const INPUT = `${CONTROL} font-mono text-13`

export const SELECT = `${CONTROL} appearance-none pe-8 font-sans text-14`

/** A small thing to press beside or below a field. */
export const SMALL_BUTTON =
  'inline-flex min-h-7 shrink-0 items-center gap-1 rounded-control px-1.5 text-13 font-medium text-accent hover:bg-hover ' +
  'pointer-coarse:min-h-11 pointer-coarse:px-2.5 [&>svg]:size-3.5 [&>svg]:stroke-2'

/** What belongs to a field stands in from it. */
export const NEST = 'mt-1.5 space-y-4 border-s border-line ps-3.5'

/** An entry of a list that holds fields of its own. */
export const CARD = 'min-w-0 rounded-control border border-line px-3 py-2.5'
