import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { t } from '@/lib/i18n/t'

/** Returns the `generateMetadata` of a page whose title is an English message. */
export const titled =
  (title: string, others: Omit<Metadata, 'title'> = {}) =>
  async (): Promise<Metadata> => {
    await ready()
    return { title: t(title), ...others }
  }
