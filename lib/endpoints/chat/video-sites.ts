import 'server-only'

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

export function isOnSite(address: string, sites: readonly string[]): boolean {
  const url = /^https?:/i.test(address.slice(0, 6)) ? URL.parse(address) : null
  const host = url?.hostname.replace(/\.$/, '')
  return host !== undefined && sites.some((site) => host === site || host.endsWith(`.${site}`))
}

export const isVideoPage = (address: string): boolean => isOnSite(address, KNOWN_SITES)
