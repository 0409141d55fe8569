import type { MetadataRoute } from 'next'
import { SERVICE_NAME } from '@/lib/contract/service-name'

export default function manifest(): MetadataRoute.Manifest {
  return {
    id: '/',
    name: SERVICE_NAME,
    short_name: SERVICE_NAME,
    description: 'Chat with open models, see what each answer costs, and keep your chats on your own device.',
    lang: 'en',
    dir: 'ltr',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: '#fbfaf7',
    theme_color: '#fbfaf7',
    categories: ['productivity', 'utilities'],
    icons: [
      { src: '/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
      { src: '/icon-maskable-192.png', sizes: '192x192', type: 'image/png', purpose: 'maskable' },
      { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
      { src: '/icon-app.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    ],
    shortcuts: [
      { name: 'New chat', url: '/', icons: [{ src: '/icon-192.png', sizes: '192x192' }] },
      { name: 'Characters', url: '/characters', icons: [{ src: '/icon-192.png', sizes: '192x192' }] },
      { name: 'Studio', url: '/studio', icons: [{ src: '/icon-192.png', sizes: '192x192' }] },
      { name: 'RPC', url: '/rpc', icons: [{ src: '/icon-192.png', sizes: '192x192' }] },
    ],
  }
}
