import { createContext } from 'react'

/** The block around is still being written: code in it stays plain, and diagrams wait. */
export const OpenBlock = createContext(false)

/** The text around is still being written: nothing in it folds while somebody may follow it. */
export const OpenText = createContext(false)

/** Sent when something unfolds: the reader is not to be scrolled to the end by it. It bubbles. */
export const UNFOLD_EVENT = 'lagoon:unfold'
