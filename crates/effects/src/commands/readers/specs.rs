//! The options of programs that print or filter what they read, as their own help prints them.

use crate::catalogue;

/// What programs that are not listed understand, as far as their files can be told from values.
const OTHERS: &str = "n,lines= c,bytes= s w= k= d= f= b= t= T= j= A= N= S= F= o= e= L= \
    delimiter= fields= characters= width= key= field-separator= output= separator= max-count= suffix-length= \
    from-code= to-code= label= unchanged-line-format= line-number language= theme= style= color?";

/// The options of a program.
pub(super) fn of(program: &str) -> &'static str {
    catalogue::find(program).and_then(|known| known.options).unwrap_or(OTHERS)
}

/// The options of `grep` and its kin.
pub(super) const GREP: &str = "E,extended-regexp F,fixed-strings G,basic-regexp P,perl-regexp e,regexp= f,file= i,ignore-case \
    no-ignore-case w,word-regexp x,line-regexp z,null-data s,no-messages v,invert-match V,version \
    help m,max-count= b,byte-offset n,line-number line-buffered H,with-filename h,no-filename label= \
    o,only-matching q,quiet,silent binary-files= a,text I d,directories= D,devices= r,recursive \
    R,dereference-recursive include= exclude= exclude-from= exclude-dir= L,files-without-match \
    l,files-with-matches c,count T,initial-tab Z,null B,before-context= A,after-context= C,context= \
    group-separator= no-group-separator color? colour? U,binary";

/// The options of ripgrep.
pub(super) const RIPGREP: &str = "A,after-context= B,before-context= C,context= E,encoding= M,max-columns= T,type-not= d,max-depth,maxdepth= \
    e,regexp= f,file= g,glob= j,threads= m,max-count= r,replace= t,type= color= colors= context-separator= \
    dfa-size-limit= engine= field-context-separator= field-match-separator= generate= hostname-bin= \
    hyperlink-format= iglob= ignore-file= max-filesize= path-separator= pre= pre-glob= regex-size-limit= sort= \
    sortr= type-add= type-clear= F,fixed-strings L,follow H,with-filename I,no-filename N,no-line-number P,pcre2 \
    S,smart-case U,multiline a,text b,byte-offset c,count h i,ignore-case l,files-with-matches n,line-number \
    o,only-matching p,pretty q,quiet s,case-sensitive u,unrestricted v,invert-match w,word-regexp x,line-regexp \
    z,search-zip 0,null hidden . no-ignore no-ignore-vcs files files-without-match json stats trim vimgrep passthru heading \
    no-heading crlf null-data debug trace type-list sort-files one-file-system no-config no-messages";
