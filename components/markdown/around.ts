import { createContext } from 'react'

/** Whether the block around is still being written: code in it stays plain, and diagrams wait. */
export const OpenBlock = createContext(false)

/** Whether the text around is still being written: nothing in it folds while somebody may follow it. */
export const OpenText = createContext(false)
