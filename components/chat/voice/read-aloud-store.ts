import { create } from 'zustand'

export type Wanted = { turnId: string; text: string }

const useStore = create<{ wanted: Wanted | undefined }>(() => ({ wanted: undefined }))

export const requestReadAloud = (wanted: Wanted | undefined): void => useStore.setState({ wanted })

export const useReadAloudRequest = (): Wanted | undefined => useStore(({ wanted }) => wanted)
