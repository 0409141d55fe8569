/** What one character may hold: characters of text, or items. */
export const LIMITS = {
  name: 80,
  description: 1_000,
  prompt: 20_000,
  greeting: 4_000,
  contextMessages: 20,
  contextMessage: 4_000,
  tags: 12,
  categories: 4,
  label: 40,
  review: 1_000,
  /** Bytes of a picture or card that is sent; what is kept of it is smaller. */
  pictureBytes: 10_000_000,
} as const

/** What shipped characters are sorted by; a character may have others. */
export const CATEGORIES = [
  'learning',
  'coding',
  'writing',
  'languages',
  'philosophy',
  'science',
  'games',
  'health',
  'business',
  'life',
] as const

/** How `GET /characters` sorts. Source: API contract, characters.md. */
export const SORTS = [
  'featured',
  'highestRating',
  'highlyRated',
  'highlyRatedAndRecent',
  'imports',
  'mostRecent',
  'ratingCount',
] as const
