export const OVERLAY = 'enter z-40 rounded-card border border-line bg-surface text-14 text-ink shadow-over outline-none'

export const MENU = `${OVERLAY} min-w-52 p-1`

export const MENU_ITEM =
  'flex min-h-9 w-full cursor-default items-center gap-2 rounded-control px-2 outline-none select-none ' +
  'data-highlighted:bg-hover data-disabled:opacity-50 pointer-coarse:min-h-11'
