import { create } from 'zustand'

export type RequestsTab = 'history' | 'saved'

export const useRequestsPanel = create<{ tab: RequestsTab; isOpen: boolean }>(() => ({ tab: 'history', isOpen: true }))

export const showRequestsTab = (tab: RequestsTab): void => useRequestsPanel.setState({ tab, isOpen: true })

export const toggleRequestsPanel = (): void => useRequestsPanel.setState(({ isOpen }) => ({ isOpen: !isOpen }))
