import { msg, t } from '@/lib/i18n/t'

export const SECTIONS = [
  { id: 'general', name: msg('General'), about: msg('Language, writing, titles, notifications') },
  { id: 'appearance', name: msg('Appearance'), about: msg('Theme, density, text, motion') },
  { id: 'models', name: msg('Models and answers'), about: msg('Defaults for new chats and answers') },
  { id: 'money', name: msg('Billing'), about: msg('Credit and spending caps') },
  { id: 'privacy', name: msg('Privacy and data'), about: msg('Sent and stored data, backups') },
  { id: 'shortcuts', name: msg('Shortcuts'), about: msg('View and change shortcuts') },
  { id: 'about', name: msg('About'), about: msg('Version, installation, offline reading') },
] as const

export type SectionId = (typeof SECTIONS)[number]['id']

export type SettingEntry = {
  /** Also the anchor on its page: `/settings/appearance#density`. */
  id: string
  section: SectionId
  name: string
  about: string
  searchTerms: string
}

export const SETTINGS = [
  {
    id: 'language',
    section: 'general',
    name: msg('Language'),
    about: msg('Language of the interface. Models reply in the language you write in.'),
    searchTerms: msg(
      'translate translation locale region deutsch español français português العربية 日本語 中文 english',
    ),
  },
  {
    id: 'enter',
    section: 'general',
    name: msg('Enter key'),
    about: msg('Press Enter to send or to start a new line. Shift+Enter does the other.'),
    searchTerms: msg('send newline return ctrl submit keyboard message line'),
  },
  {
    id: 'titles',
    section: 'general',
    name: msg('Chat titles'),
    about: msg('Titles written by the model cost a few tokens: the first message is sent again.'),
    searchTerms: msg('name rename automatic summary first words'),
  },
  {
    id: 'persona',
    section: 'general',
    name: msg('Your persona'),
    about: msg('Sent to characters with every message. Leave empty to send nothing.'),
    searchTerms: msg('persona user name profile roleplay description'),
  },
  {
    id: 'notify',
    section: 'general',
    name: msg('Notifications'),
    about: msg('Get notified when an answer finishes in another tab.'),
    searchTerms: msg('notify alert background done finished sound badge desktop'),
  },
  {
    id: 'theme',
    section: 'appearance',
    name: msg('Theme'),
    about: msg('Light, dark, or the same as your device.'),
    searchTerms: msg('dark mode light night colour color system contrast'),
  },
  {
    id: 'density',
    section: 'appearance',
    name: msg('Density'),
    about: msg('Spacing of rows and buttons. Touch targets keep their size.'),
    searchTerms: msg('compact comfortable spacing tight small rows'),
  },
  {
    id: 'text',
    section: 'appearance',
    name: msg('Text size'),
    about: msg('Applies to the whole page. Browser zoom works too.'),
    searchTerms: msg('font large small bigger zoom letters reading accessibility'),
  },
  {
    id: 'motion',
    section: 'appearance',
    name: msg('Motion'),
    about: msg('Fade and slide animations.'),
    searchTerms: msg('animation reduce reduced still transitions accessibility'),
  },
  {
    id: 'ledger',
    section: 'appearance',
    name: msg('Cost ledger'),
    about: msg('Shows the cost and tokens next to each answer.'),
    searchTerms: msg('price receipt gutter tokens hide cost show'),
  },
  {
    id: 'sidebar',
    section: 'appearance',
    name: msg('Sidebar'),
    about: msg('Chat list in wide windows.'),
    searchTerms: msg('history panel hide show list'),
  },
  {
    id: 'new-model',
    section: 'models',
    name: msg('Default model'),
    about: msg('Open chats keep their own model.'),
    searchTerms: msg('default model llm preferred'),
  },
  {
    id: 'new-prompt',
    section: 'models',
    name: msg('Default system prompt'),
    about: msg('Sent before every message of a new chat and billed with it. Each chat can override the prompt.'),
    searchTerms: msg('instructions custom system default prompt'),
  },
  {
    id: 'new-sources',
    section: 'models',
    name: msg('Default sources'),
    about: msg('Web sources for answers. Each use costs extra: $0.01 for a search, a page or a result from X.'),
    searchTerms: msg('web search internet links citations x scraping price'),
  },
  {
    id: 'new-thinking',
    section: 'models',
    name: msg('Default thinking effort'),
    about: msg('Thinking models write more and cost more. Not every model supports an effort level.'),
    searchTerms: msg('reasoning effort think thoughts'),
  },
  {
    id: 'suggestions',
    section: 'models',
    name: msg('Follow-up suggestions'),
    about: msg(
      'Up to three short questions under the last answer, written by the same model. They cost a few tokens per answer.',
    ),
    searchTerms: msg('follow-up suggestions questions chips next ideas'),
  },
  {
    id: 'credit',
    section: 'money',
    name: msg('Credit'),
    about: msg('Your balance and top-ups.'),
    searchTerms: msg('balance top up pay usdc wallet add money receipts transactions'),
  },
  {
    id: 'caps',
    section: 'money',
    name: msg('Spending caps'),
    about: msg('Maximum cost per message and per day in this browser.'),
    searchTerms: msg('limit budget maximum day message cap spend'),
  },
  {
    id: 'leaves',
    section: 'privacy',
    name: msg('Data leaving this device'),
    about: msg('Data sent with your next message and data stored in this browser.'),
    searchTerms: msg('privacy private anonymised sent data tier retention lock'),
  },
  {
    id: 'storage',
    section: 'privacy',
    name: msg('Storage'),
    about: msg('Space used by chats and files, and protection from automatic clearing.'),
    searchTerms: msg('space disk used quota persist persistent size'),
  },
  {
    id: 'backup',
    section: 'privacy',
    name: msg('Backup, export and import'),
    about: msg('Your chats live only in this browser. Back them up so you don’t lose them.'),
    searchTerms: msg('export import download json markdown chatgpt claude save restore'),
  },
  {
    id: 'vault',
    section: 'privacy',
    name: msg('Vault'),
    about: msg('Encrypts your chats in this browser with a passphrase only you know.'),
    searchTerms: msg('encrypt encryption lock passphrase password secret idle'),
  },
  {
    id: 'wipe',
    section: 'privacy',
    name: msg('Delete all local data'),
    about: msg(
      'Deletes all chats, drafts, files, characters and settings in this browser. Your credit stays with your wallet.',
    ),
    searchTerms: msg('delete clear remove erase reset all chats history'),
  },
  {
    id: 'letters',
    section: 'shortcuts',
    name: msg('Single-key shortcuts'),
    about: msg(
      'Shortcuts without Ctrl or Alt, such as L and ?. In a chat, letters go to the message unless a button or an answer has the focus.',
    ),
    searchTerms: msg('keyboard off accessibility speech keys'),
  },
  {
    id: 'keys',
    section: 'shortcuts',
    name: msg('Keys'),
    about: msg('Select a shortcut and press the new keys.'),
    searchTerms: msg('keyboard shortcut hotkey rebind change binding'),
  },
  {
    id: 'version',
    section: 'about',
    name: msg('Version and operator'),
    about: msg('The running version and the operator of this service.'),
    searchTerms: msg('release licence license source code contact operator imprint'),
  },
  {
    id: 'install',
    section: 'about',
    name: msg('Install'),
    about: msg('Opens in its own window. The browser is less likely to clear its data.'),
    searchTerms: msg('app pwa home screen desktop add'),
  },
  {
    id: 'offline',
    section: 'about',
    name: msg('Offline reading'),
    about: msg('The browser saves the app’s pages so you can read chats offline.'),
    searchTerms: msg('service worker cache connection update version'),
  },
] as const satisfies readonly SettingEntry[]

export type SettingId = (typeof SETTINGS)[number]['id']

export const sectionName = (id: SectionId): string => t(englishName(id))

const englishName = (id: SectionId): string => SECTIONS.find((section) => section.id === id)!.name

export const settingHref = ({ id, section }: Pick<SettingEntry, 'id' | 'section'>): string =>
  `/settings/${section}#${id}`

/**
 * Finds settings that have each word of the query, in the page's language or in English; matches of the name come
 * first.
 */
export function searchSettings(query: string): SettingEntry[] {
  const typed = searchTermsOf(query)
  if (typed.length === 0) return []
  const has = (text: string) => typed.every((one) => searchTermsOf(text).some((word) => isBegun(word, one)))
  const named = SETTINGS.filter(({ name }) => has(inBoth(name)))
  const found = SETTINGS.filter(({ name, about, searchTerms: terms, section }) =>
    has([name, about, terms, englishName(section)].map(inBoth).join(' ')),
  )
  return [...new Set<SettingEntry>([...named, ...found])]
}

const inBoth = (english: string): string => `${english} ${t(english)}`

const searchTermsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}$]+/gu) ?? []

const LATIN = /^[\p{Script=Latin}\p{M}\p{N}$]+$/u

/** Languages without spaces, or with prefixes, match anywhere in a word. */
const isBegun = (word: string, typed: string): boolean =>
  LATIN.test(typed) ? word.startsWith(typed) : word.includes(typed)
