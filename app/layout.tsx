import type { Metadata, Viewport } from 'next'
import type { ReactNode } from 'react'
import { Providers, SpokenLanguage } from '@/app/providers'
import { ready } from '@/app/ready'
import { fontVariables } from '@/components/shell/fonts'
import { SERVICE_NAME } from '@/lib/contract/service-name'
import { directionOf } from '@/lib/i18n/languages'
import { t } from '@/lib/i18n/t'
import '@/app/globals.css'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return {
    title: { default: SERVICE_NAME, template: `%s · ${SERVICE_NAME}` },
    description: t('Chat with open models, see what each answer costs, and keep your chats on your own device.'),
    applicationName: SERVICE_NAME,
    formatDetection: { telephone: false, address: false, email: false },
  }
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

export default async function RootLayout({ children }: { children: ReactNode }) {
  const tag = await ready()
  const direction = directionOf(tag)
  return (
    // before-paint.js sets data attributes on the root before React sees it.
    <html lang={tag} dir={direction} className={fontVariables} suppressHydrationWarning>
      <head>
        {/* Before the first paint, so neither async nor deferred. */}
        <script src="/before-paint.js" />
      </head>
      <body>
        <SpokenLanguage tag={tag} isRtl={direction === 'rtl'}>
          <Providers>{children}</Providers>
        </SpokenLanguage>
      </body>
    </html>
  )
}
