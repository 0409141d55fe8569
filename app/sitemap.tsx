import type { MetadataRoute } from 'next'
import { connection } from 'next/server'
import { docsPages } from '@/lib/endpoints/docs/pages'
import { config } from '@/lib/kernel/config'

const SCREENS = ['/', '/characters', '/studio', '/rpc']

export default async function sitemap(): Promise<MetadataRoute.Sitemap> {
  await connection()
  const { origin } = config()
  return [...SCREENS, ...docsPages().map(({ href }) => href)].map((path) => ({ url: origin + path }))
}
