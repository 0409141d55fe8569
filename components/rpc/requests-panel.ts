import { create } from 'zustand'

export type RequestsTab = 'history' | 'saved'

/** Chosen list below the request, and whether it is open. It lives as long as the page. */
export const useRequestsPanel = create<{ tab: RequestsTab; isOpen: boolean }>(() => ({ tab: 'history', isOpen: true }))

export const showRequestsTab = (tab: RequestsTab): void => useRequestsPanel.setState({ tab, isOpen: true })

export const toggleRequestsPanel = (): void => useRequestsPanel.setState(({ isOpen }) => ({ isOpen: !isOpen }))
