import { parse } from "tldts";

/** True for a host that anyone can have for nothing, or that belongs to a hosting provider (§6.6). */
export function isFreeHosting(host: string): boolean {
  const { isPrivate, publicSuffix } = parse(host, { allowPrivateDomains: true });
  if (isPrivate && !isCommercialRegistry(publicSuffix ?? "")) return true;
  return labelsFrom(host).some((name) => freeHosts.has(name));
}

/** True for a domain that is sold like a top-level domain, such as `uk.com`: what is below it is one's own. */
export function isCommercialRegistry(domain: string): boolean {
  return commercialRegistries.has(domain);
}

/** `a.b.c`, `b.c`, `c`. */
function labelsFrom(host: string): readonly string[] {
  const labels = host.split(".");
  return labels.map((_, index) => labels.slice(index).join("."));
}

/** In the private part of the public suffix list because they are sold, not because they are free. */
const commercialRegistries: ReadonlySet<string> = new Set(
  [
    "ae.org africa.com br.com cn.com co.ca co.com co.cz co.dk co.nl co.no com.de com.ru com.se de.com eu.com gb.net",
    "gr.com hu.net in.net jp.net jpn.com mex.com radio.am radio.fm ru.com sa.com se.net uk.com uk.net us.com us.org",
    "za.com za.net za.org",
  ].flatMap((line) => line.split(" ")),
);

/** Free hosting, site builders and tunnels that the private part of the public suffix list does not name. */
const freeHosts: ReadonlySet<string> = new Set(
  [
    "000webhostapp.com 42web.io 50webs.com angelfire.com atwebpages.com awardspace.com awardspace.net b4a.app",
    "back4app.io beeceptor.com blogger.com blogspot.co.in blogspot.in business.site byet.org byethost.com co.nf",
    "codesandbox.io ct.ws cyclic.app deta.app devtunnels.ms epizy.com free.nf freeservers.com github.dev gitpod.io",
    "glitch.com glitch.me godaddysites.com gradio.live great-site.net heliohost.org hookb.in hookdeck.com",
    "hostingersite.com hstn.me iceiy.com infinityfreeapp.com infy.uk jimdo.com jimdofree.com jimdosite.com koyeb.app",
    "lhr.life lhr.rocks livejournal.com loca.lt localhost.run localtunnel.me medium.com mockbin.io mydurable.com",
    "mystrikingly.com neocities.org odoo.com page.link pinggy.io pinggy.link pipedream.net postb.in railway.app",
    "requestbin.com requestcatcher.com rf.gd serveo.net serveousercontent.com simplesite.com site123.me",
    "sites.google.com smee.io stackblitz.com stackblitz.io strikingly.com tiiny.site tripod.com tumblr.com",
    "tunnelmole.net ucoz.com ucoz.net unaux.com webador.com webcontainer.io webhook.site webnode.com webnode.page",
    "webstarts.com weebly.com weeblysite.com wix.com wordpress.com wpengine.com wuaze.com x10.mx x10host.com zohosites.com",
    "zohosites.in zrok.io zyrosite.com",
  ].flatMap((line) => line.split(" ")),
);
