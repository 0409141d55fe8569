/** The address of a link that may be followed: a place on the web, without a name and password in it. */
export function webAddress(address: string | undefined): URL | undefined {
  if (!address || !URL.canParse(address)) return undefined
  const url = new URL(address)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb && url.username === '' && url.password === '' ? url : undefined
}

/** About 2 MB of bytes. */
const MAX_DATA_IMAGE_CHARS = 2_800_000
const DATA_IMAGE = /^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z\d+/]+={0,2}$/

/** An image that brings its own bytes, of the kinds that cannot hold anything but a picture. */
export function isDataImage(address: string | undefined): boolean {
  return address !== undefined && address.length <= MAX_DATA_IMAGE_CHARS && DATA_IMAGE.test(address)
}
