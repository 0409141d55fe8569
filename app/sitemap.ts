import type { MetadataRoute } from 'next'
import { connection } from 'next/server'
import { docsPages } from '@/lib/endpoints/docs/pages'
import { config } from '@/lib/kernel/config'

/** The screens that are the same for everybody. */
const SCREENS = ['/', '/characters', '/studio', '/rpc']

/** The addresses that a search engine may want: the origin is known only where the server runs. */
export default async function sitemap(): Promise<MetadataRoute.Sitemap> {
  await connection()
  const { origin } = config()
  return [...SCREENS, ...docsPages().map(({ href }) => href)].map((path) => ({ url: origin + path }))
}
