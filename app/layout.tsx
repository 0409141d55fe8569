import type { Metadata, Viewport } from 'next'
import type { ReactNode } from 'react'
import { Providers } from '@/app/providers'
import { fontVariables } from '@/components/shell/fonts'
import { SERVICE_NAME } from '@/lib/core/service-name'
import '@/app/globals.css'

export const metadata: Metadata = {
  title: { default: SERVICE_NAME, template: `%s · ${SERVICE_NAME}` },
  description: 'Ask open models, see what each answer costs, keep your chats on your own device.',
  applicationName: SERVICE_NAME,
  formatDetection: { telephone: false, address: false, email: false },
}

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  // The keyboard makes the page smaller instead of covering the composer.
  interactiveWidget: 'resizes-content',
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#fbfaf7' },
    { media: '(prefers-color-scheme: dark)', color: '#0f1014' },
  ],
}

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    // theme.js sets data attributes on the root before React sees it.
    <html lang="en" className={fontVariables} suppressHydrationWarning>
      <head>
        {/* Before the first paint, so neither async nor deferred. */}
        <script src="/theme.js" />
      </head>
      <body>
        <Providers>{children}</Providers>
      </body>
    </html>
  )
}
