import type { Metadata, Viewport } from 'next'
import localFont from 'next/font/local'
import type { ReactNode } from 'react'
import { ready } from '@/app/page-language'
import { Providers, SpokenLanguage } from '@/app/providers'
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

// Variable fonts from the packages, served by ourselves. The Latin file of the text face is preloaded; the others are
// fetched when a glyph of theirs is on the page. The loader reads these calls without running them: literals only.

const sans = localFont({
  src: '../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2',
  variable: '--face-sans',
  weight: '400 700',
  display: 'swap',
})

const sansExtended = localFont({
  src: '../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-ext-wght-normal.woff2',
  variable: '--face-sans-ext',
  weight: '400 700',
  display: 'swap',
  preload: false,
  adjustFontFallback: false,
  declarations: [
    {
      prop: 'unicode-range',
      value:
        'U+0100-02BA, U+02BD-02C5, U+02C7-02CC, U+02CE-02D7, U+02DD-02FF, U+0304, U+0308, U+0329, U+1D00-1DBF, U+1E00-1E9F, U+1EF2-1EFF, U+2020, U+20A0-20AB, U+20AD-20C0, U+2113, U+2C60-2C7F, U+A720-A7FF',
    },
  ],
})

const italic = localFont({
  src: '../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-italic.woff2',
  variable: '--face-italic',
  weight: '400 700',
  style: 'italic',
  display: 'swap',
  preload: false,
  adjustFontFallback: false,
})

const serif = localFont({
  src: '../node_modules/@fontsource-variable/newsreader/files/newsreader-latin-wght-normal.woff2',
  variable: '--face-serif',
  weight: '200 800',
  display: 'swap',
  preload: false,
  adjustFontFallback: 'Times New Roman',
})

const mono = localFont({
  src: '../node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
  variable: '--face-mono',
  weight: '100 800',
  display: 'swap',
  preload: false,
  adjustFontFallback: false,
})

const fontVariables = [sans, sansExtended, italic, serif, mono].map((font) => font.variable).join(' ')
