/** Marks a sentence for translators, as `msg` of lib/i18n does, which stands above the contract. */
export const msg = <S extends string>(sentence: S): S => sentence
