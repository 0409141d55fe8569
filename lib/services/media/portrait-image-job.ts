/**
 * What the process is asked for: the PNG of a card, drawn from an SVG or a kept picture; a portrait for pages, drawn from an
 * SVG; or a small copy to keep.
 */
export type PictureJob = { kind: 'card' | 'portrait' | 'keep'; bytes: Uint8Array }

/** Of a kept picture; the table allows no more. */
export const MAX_PICTURE_BYTES = 262_144
export const PICTURE_WIDTH = 512
export const PICTURE_HEIGHT = 768
/** Edge of the picture of an exported card. */
export const CARD_PIXELS = 512
/** Edge of a portrait, which no page shows larger than 240 of its own pixels. */
export const PORTRAIT_PIXELS = 384
