/** Sites that show videos on pages and give no address of a file. */
const KNOWN_SITES = [
  'youtube.com',
  'youtu.be',
  'youtube-nocookie.com',
  'vimeo.com',
  'dailymotion.com',
  'tiktok.com',
  'twitch.tv',
  'bilibili.com',
]

/** Whether an address is on one of these sites, or on a subdomain of one. */
export function isOnSite(address: string, sites: readonly string[]): boolean {
  const url = /^https?:/i.test(address.slice(0, 6)) ? URL.parse(address) : null
  const host = url?.hostname.replace(/\.$/, '')
  return host !== undefined && sites.some((site) => host === site || host.endsWith(`.${site}`))
}

export const isVideoPage = (address: string): boolean => isOnSite(address, KNOWN_SITES)
