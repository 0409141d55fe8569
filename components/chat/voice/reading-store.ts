import { create } from 'zustand'

/** An answer that is to be read aloud. */
export type Wanted = { turnId: string; text: string }

const useStore = create<{ wanted: Wanted | undefined }>(() => ({ wanted: undefined }))

/** Has an answer read aloud, in place of the one before; `undefined` ends it. */
export const wantReading = (wanted: Wanted | undefined): void => useStore.setState({ wanted })

export const useWantedReading = (): Wanted | undefined => useStore(({ wanted }) => wanted)
