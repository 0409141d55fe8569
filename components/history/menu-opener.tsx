import { Ellipsis } from 'lucide-react'

type MenuOpenerProps = { label: string; onMenu: (anchor: HTMLElement) => void }

/** Opens the menu of a row; seen when one points at the row. */
export const MenuOpener = ({ label, onMenu }: MenuOpenerProps) => (
  <button
    type="button"
    aria-label={label}
    aria-haspopup="menu"
    onClick={(event) => onMenu(event.currentTarget)}
    className="inline-flex size-9 shrink-0 items-center justify-center rounded-control text-ink-3 opacity-0 group-hover:opacity-100 focus-visible:opacity-100 hover:text-ink pointer-coarse:size-11 pointer-coarse:opacity-100"
  >
    <Ellipsis aria-hidden="true" className="size-4" strokeWidth={1.5} />
  </button>
)
