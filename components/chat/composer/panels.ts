/** What the composer can open, one at a time. */
export type Panel = 'add' | 'sources' | 'think' | 'record' | 'dictate' | 'character' | 'compare'
