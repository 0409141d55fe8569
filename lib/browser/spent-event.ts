/** Tells the page of each amount that was counted into its day. A file of its own: who listens needs no database. */
export const SPENT_EVENT = 'lagoon:spent'
