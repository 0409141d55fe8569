import type { MetadataRoute } from 'next'
import { SERVICE_NAME } from '@/lib/core/service-name'

/** What an installed app is called and looks like. */
export default function manifest(): MetadataRoute.Manifest {
  return {
    name: SERVICE_NAME,
    short_name: SERVICE_NAME,
    description: 'Ask open models, see what each answer costs, keep your chats on your own device.',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: '#fbfaf7',
    theme_color: '#fbfaf7',
    icons: [
      { src: '/icon-app.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
      { src: '/icon-app.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'maskable' },
    ],
  }
}
