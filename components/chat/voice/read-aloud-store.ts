import { create } from 'zustand'

export type Wanted = { turnId: string; text: string }

const useStore = create<{ wanted: Wanted | undefined }>(() => ({ wanted: undefined }))

export const wantReading = (wanted: Wanted | undefined): void => useStore.setState({ wanted })

export const useWantedReading = (): Wanted | undefined => useStore(({ wanted }) => wanted)
