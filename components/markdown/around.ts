import { createContext } from 'react'

/** Whether the block around is still being written: code in it stays plain, and diagrams wait. */
export const OpenBlock = createContext(false)

/** Whether the text around is still being written: nothing in it folds while somebody may follow it. */
export const OpenText = createContext(false)

/** Something unfolds under the eyes of a reader, who is not to be taken to the end by it. It bubbles. */
export const UNFOLD_EVENT = 'lagoon:unfold'
