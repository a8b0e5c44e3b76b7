import { type Hit, hitsOf, textBefore } from './hits.js';

const ADDRESS =
  /(?<![\w.%+@-])[\p{L}\p{N}][\p{L}\p{N}._%+'-]{0,63}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,8}\p{L}{2,24}(?![\w@-]|\.\p{L})/gu;

// Mailboxes of a function, not of a person; an agent that names its helpdesk has leaked no personal data.
const ROLE =
  /^(?:abuse|accounts?|admin|billing|bookings?|careers|compliance|contact|customer[._-]?(?:care|service|support)|datenschutz|dpo|enquiries|feedback|git|hallo|hello|help|helpdesk|hi|hostmaster|info|jobs|kontakt|kundenservice|legal|mailer-daemon|marketing|media|news|newsletter|no[._-]?reply|do[._-]?not[._-]?reply|notifications?|office|orders?|postmaster|press|privacy|returns|root|sales|security|service|shop|soporte|support|team|webmaster)@/i;
const FILE_ENDING =
  /\.(?:png|jpe?g|gif|svg|webp|ico|js|ts|mjs|css|json|md|txt|tgz|zip|html?|py|rb|go|rs|lock)$/i;
// The part of a URL before its host: credentials, which another detector finds.
const USERINFO = /:\/\/[^\s/?#]*$/;

export function findEmails(text: string, allowedDomains: readonly string[] = []): readonly Hit[] {
  if (!text.includes('@')) return [];
  return hitsOf('pii-email', text, ADDRESS, (match, start) => {
    const domain = match.slice(match.lastIndexOf('@') + 1).toLowerCase();
    return (
      !ROLE.test(match) &&
      !FILE_ENDING.test(domain) &&
      /\p{L}/u.test(domain.split('.').at(-2) ?? '') &&
      !USERINFO.test(textBefore(text, start, 300)) &&
      !allowedDomains.some((allowed) => isWithin(domain, allowed.toLowerCase()))
    );
  });
}

const isWithin = (domain: string, allowed: string): boolean =>
  domain === allowed || domain.endsWith(`.${allowed}`);
