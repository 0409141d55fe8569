/** A picture to enlarge: PNG or JPEG, within the bounds of lib/endpoints/images. */
export type EnlargeInput = { bytes: Uint8Array; factor: 2 | 4 }
/** A picture to mend: PNG whose see-through pixels are to be filled. */
export type FillInput = { bytes: Uint8Array }
/** PNG. */
export type RetouchedOutput = { bytes: Uint8Array }
