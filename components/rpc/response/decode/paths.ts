/** The path of the list of a batch's items, for asking for more of them. */
export const ITEMS_PATH = 'items'
