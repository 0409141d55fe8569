import Link from 'next/link'
import type { ComponentProps } from 'react'

type DocLinkProps = Omit<ComponentProps<'a'>, 'href'> & { href: string }

/** What Next serves as a page; files of the interface description are fetched whole. */
const isPage = (href: string): boolean => href.startsWith('/') && !/^\/(?:doc\/|llms\.txt)/.test(href)

/** A link of the documentation: within the page, to another page without loading everything anew, or out of the site. */
export function DocLink({ href, ...props }: DocLinkProps) {
  if (isPage(href)) return <Link href={href} prefetch={false} {...props} />
  if (href.startsWith('#') || href.startsWith('/')) return <a href={href} {...props} />
  return <a href={href} target="_blank" rel="noopener noreferrer" {...props} />
}
